/** "The prompt is too long", as the providers say it. A rate limit in tokens is not that, nor is a limit on output. */
import { type ErrorFacts, type ErrorSigns, signsOf } from './error-facts.ts'

const NAMES =
  /^(?:context_length_exceeded|model_context_window_exceeded|context_window_exceeded|max_context_length_exceeded|prompt_too_long|request_too_large|input_too_long|tokens_limit_reached|exceed_context_size_error|string_above_max_length|ContextWindowExceededError|ContextLengthExceededError|ContextOverflowError)$/

const LIMIT = '(?:context|prompt|input)(?:[ _-](?:window|length|limit|size|tokens?|token limit))|max(?:imum)? context'
const PHRASES: readonly RegExp[] = [
  // "prompt is too long", "input is too long for requested model", "conversation too long", "request too large"
  /\b(?:prompt|input|conversation|context|messages)\b[^.;,]{0,40}\btoo (?:long|large)\b|\brequest\b[^.;,]{0,20}\btoo large\b/,
  /\btoo large for model with \d+ maximum context/,
  // "exceeds the context window", "exceeded max context length", "greater than the context length"
  new RegExp(`\\b(?:exceed\\w*|greater than|larger than|longer than|over|beyond)\\b[^.;]{0,50}\\b(?:${LIMIT})\\b`),
  // "context window exceeds limit", "input token count exceeds the maximum", "prompt token count of N exceeds the limit"
  /\b(?:context|prompt|input|total|message)[ _-]?(?:window|length|size|tokens?|token count|tokens count)\b[^.;]{0,60}\bexceed\w*\b[^.;]{0,40}\b(?:limit|max\w*|allowed|window)\b/,
  /\btoken count\b[^.;]{0,40}\bexceed\w*\b|\btokens in the (?:prompt|input|messages)\b[^.;]{0,30}\bexceed/,
  /\bnumber of tokens\b[^.;]{0,20}\bexceed\w*\b[^.;]{0,20}\bmax\w*\b/,
  /\bexceed\w* the (?:\w+ ){0,2}limit of [\d,]+ tokens\b/,
  /\b(?:prompt|input|context|tokens)\b[^.;]{0,60}\bmore than (?:the )?(?:max\w*|limit|allowed)\b/,
  /\btoo many total text bytes\b/,
  // "context length exceeded", "context window is full", "the context overflows"
  /\b(?:context|prompt|input)[ _-](?:window|length|size|limit)\b[^.;]{0,20}\b(?:exceeded|overflow\w*|full)\b/,
  /\bcontext (?:the )?overflow\w*\b/,
  /\bexceed\w*\b[^.;]{0,20}\bmodel\b[^.;]{0,10}\btoken limit\b/,
  /\bmax(?:imum)? (?:context|prompt|input) (?:length|window|size|tokens?)\b[^;]{0,60}\b(?:is|of|are)\b/,
  /\brange of input length should be\b/,
  /\breduce (?:the length|the size|your (?:prompt|input|messages?))\b/,
  /(?:上下文|输入|提示词?)[^。;]{0,12}(?:超[出过]|过长|太长)|超[出过][^。;]{0,10}(?:上下文|输入|提示词?)/,
]

/** Limits of another kind: per time, of output, of a picture or a disk. */
const OTHERWISE =
  /\bper (?:second|minute|min|hour|day)\b|\brate[ _-]?limit|\bthrottl|\btoo many requests\b|\b[tr]pm\b|\boutput tokens?\b|\bdisk\b|\bimage\b/

/** @param facts an error, or only its text */
export function isOverflow(facts: ErrorFacts | string | null): boolean {
  return overflows(signsOf(typeof facts === 'string' || facts === null ? { text: facts } : facts))
}

export function overflows({ status, names, words }: ErrorSigns): boolean {
  if (status === 413) return true
  if (names.some((name) => NAMES.test(name))) return true
  if (status === 429 || OTHERWISE.test(words)) return false
  return PHRASES.some((phrase) => phrase.test(words))
}
