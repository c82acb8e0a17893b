/** From texts to what the full-text index holds, and from a query to the index's own words. */
import type { JsonValue } from '../core/transcript.ts'
import type { Database } from './database.ts'

/** Scripts written without spaces: every character is indexed as a word, so that any part of a run is found. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu
/** A cheap first look at the blocks that hold those scripts; arrows, check marks and most emoji are outside. */
const MAY_BE_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u19e0-\u19ff\u2e80-\u2fdf\u3005-\u9fff\ua960-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\ud82c\ud840-\ud88d\uf900-\ufaff\uff66-\uffdc]/
const BASE64 = /^[A-Za-z0-9+/]{1000,}={0,2}$/

/** The text in which words are looked for: escapes of a recorded JSON slice resolved, its images left out. */
export function readableText(content: string, mediaType: string): string {
  if (!mediaType.endsWith('json')) return content
  try {
    const texts: string[] = []
    collectTexts(JSON.parse(content), texts)
    return texts.join('\n')
  } catch {
    // No JSON after all (a cut slice, nesting beyond the stack): its words are searched as they stand.
    return content
  }
}

function collectTexts(value: JsonValue, texts: string[]): void {
  if (typeof value === 'string') {
    if (!BASE64.test(value)) texts.push(value)
  } else if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, texts)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key)
      collectTexts(item, texts)
    }
  } else {
    texts.push(String(value))
  }
}

export function wordsToIndex(text: string): string {
  return MAY_BE_UNSPACED.test(text) ? text.replace(UNSPACED, ' $& ') : text
}

/**
 * Splits a query as the index splits texts: SQLite's own tokenizer does it, so the two can never differ.
 * A text without letters and digits has no words.
 */
export function queryTokenizer(database: Database): (text: string) => string[] {
  database.exec(`
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.query_words USING fts5(words, detail=none, tokenize='unicode61');
    CREATE VIRTUAL TABLE IF NOT EXISTS temp.query_tokens USING fts5vocab('temp', 'query_words', 'row');
  `)
  const clear = database.prepare('DELETE FROM temp.query_words')
  const insert = database.prepare('INSERT INTO temp.query_words(words) VALUES (?)')
  const select = database.prepare('SELECT term FROM temp.query_tokens')
  return (text) => {
    clear.run()
    insert.run(wordsToIndex(text))
    return (select.all() as { term: string }[]).map((row) => row.term)
  }
}
