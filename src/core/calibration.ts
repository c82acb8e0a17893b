/**
 * What a session's recorded usage says about its model: how many tokens stand before the view (the floor), and what
 * the estimates of core/tokens must be multiplied with. The figures and how they were found: docs/tokens.md.
 *
 * A request's prompt grows by what was said since the request before, so growths are fitted, not levels: the errors of
 * growths are independent, those of levels pile up. What the recording does not show (reminders, attachments) is one
 * amount a request. A session has few requests, therefore every factor is drawn towards what other sessions showed,
 * and growths that no factor explains (a hook's output, a plan kept outside the prompt) count less.
 */
import type { Block, Message, Transcript } from './transcript.ts'

/** What is sent before a request, without the floor. Counts are cumulative. */
export interface ViewSize {
  readonly chars: number
  /** Estimated tokens of everything but thinking, with what the provider puts around each block. */
  readonly tokens: number
  /** Estimated tokens of thinking: whether it is sent again differs between models. */
  readonly thinking: number
  /** Requests before this one. */
  readonly requests: number
}

/** A recorded request: what stood before it and how many tokens the provider counted. */
export interface PromptPoint {
  readonly size: ViewSize
  /** Tokens: input + cache read + cache write. */
  readonly prompt: number
}

/** The prompt of a view: intercept + scale * tokens + thinkingScale * thinking + perRequest * requests. */
export interface PromptFit {
  /** Tokens: the floor, and whatever else the last request held or lacked against its recorded view. */
  readonly intercept: number
  readonly scale: number
  readonly thinkingScale: number
  readonly perRequest: number
}

export interface Calibration {
  /** Tokens before the view, as the first recorded request tells; never below 0. */
  readonly floor: number
  /** Characters of the view for each of its calibrated tokens. */
  readonly charsPerToken: number
  /** Relative errors (0.01 = 1 %) of predictions for the later half of each stretch from its earlier half; null below 4 requests. */
  readonly p50Error: number | null
  readonly p90Error: number | null
  readonly fit: PromptFit
}

/** Tokens around one block (type, id, name, role), from the same fit as the weights of core/tokens. */
const FRAME_TOKENS: Readonly<Partial<Record<Block['type'], number>>> = { call: 98, result: 7, text: 19 }

/** Where usage falls by more than this share, something left the prompt that the recording still has. */
const FALL_SHARE = 0.2
/** Fewer requests do not show an error. */
const MINIMUM_POINTS = 4

/** What other sessions showed: the estimates hold, thinking is sent again, nothing unseen is added. */
const EXPECTED: Factors = [1, 1, 0]
/** How strongly the factors are held there, in standard errors of one growth; a request's amount is in tokens. */
const HOLD: Factors = [6, 6, 0.06]
/** Standard error of a growth: a fixed part and a share of its size. */
const NOISE_TOKENS = 60
const NOISE_SHARE = 0.05
/** Growths further off than this many standard errors count less, in proportion (Huber). */
const OUTLIER = 2
const ROUNDS = 20

/** Factors of tokens, thinking and requests, in this order. */
type Factors = readonly [number, number, number]

interface Growth {
  readonly size: Factors
  readonly prompt: number
}

function factorsOf(size: ViewSize): Factors {
  return [size.tokens, size.thinking, size.requests]
}

function dot(a: Factors, b: Factors): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/** The recorded requests of a transcript in order, once for each message id, those without usage left out. */
export function promptPoints(transcript: Transcript): PromptPoint[] {
  const points: PromptPoint[] = []
  const seen = new Set<string>()
  walkSizes(transcript.messages, (message, size) => {
    if (!isRequest(message) || (message.id !== undefined && seen.has(message.id))) return
    if (message.id !== undefined) seen.add(message.id)
    const { usage } = message
    const prompt = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
    if (prompt > 0 && Number.isFinite(prompt)) points.push({ size, prompt })
  })
  return points
}

/** The size of the whole view: what the next request would be predicted from. */
export function viewSize(transcript: Transcript): ViewSize {
  return walkSizes(transcript.messages, () => {})
}

function isRequest(message: Message): boolean {
  return message.role === 'assistant' && message.kind !== 'api-error'
}

function walkSizes(messages: readonly Message[], visit: (message: Message, before: ViewSize) => void): ViewSize {
  let size: ViewSize = { chars: 0, tokens: 0, thinking: 0, requests: 0 }
  let previousId: string | undefined
  for (const message of messages) {
    visit(message, size)
    let { chars, tokens, thinking, requests } = size
    for (const block of message.blocks) {
      chars += block.chars
      if (block.type === 'thinking') thinking += block.tokens
      else tokens += block.tokens + (FRAME_TOKENS[block.type] ?? 0)
    }
    if (isRequest(message)) {
      if (message.id === undefined || message.id !== previousId) requests += 1
      previousId = message.id
    }
    size = { chars, tokens, thinking, requests }
  }
  return size
}

/** Stretches between falls of usage by more than FALL_SHARE. */
export function stretchesOf(points: readonly PromptPoint[]): PromptPoint[][] {
  const stretches: PromptPoint[][] = []
  let previous: PromptPoint | undefined
  for (const point of points) {
    const last = stretches.at(-1)
    if (last && previous && point.prompt >= previous.prompt * (1 - FALL_SHARE)) last.push(point)
    else stretches.push([point])
    previous = point
  }
  return stretches
}

/**
 * The fit of some recorded requests, exact at the last of them. Undefined without any. With one request the factors
 * are the expected ones.
 */
export function fitPrompt(points: readonly PromptPoint[]): PromptFit | undefined {
  const last = points.at(-1)
  if (!last) return undefined
  const factors = robustFactors(growthsOf(points))
  const [scale, thinkingScale, perRequest] = factors
  return { intercept: last.prompt - dot(factors, factorsOf(last.size)), scale, thinkingScale, perRequest }
}

function viewTokens({ scale, thinkingScale, perRequest }: PromptFit, size: ViewSize): number {
  return dot([scale, thinkingScale, perRequest], factorsOf(size))
}

/** Predicted tokens of the prompt for a view of this size. */
export function predictPrompt(fit: PromptFit, size: ViewSize): number {
  return fit.intercept + viewTokens(fit, size)
}

function growthsOf(points: readonly PromptPoint[]): Growth[] {
  return stretchesOf(points).flatMap((stretch) =>
    stretch.slice(1).map((point, index) => {
      const before = stretch[index] ?? point
      const [tokens, thinking, requests] = factorsOf(before.size)
      const [nextTokens, nextThinking, nextRequests] = factorsOf(point.size)
      return {
        size: [nextTokens - tokens, nextThinking - thinking, nextRequests - requests] as const,
        prompt: point.prompt - before.prompt,
      }
    }),
  )
}

/** Ridge regression towards EXPECTED, reweighted so that outliers pull in proportion to nothing but their sign. */
function robustFactors(growths: readonly Growth[]): Factors {
  const precisions = growths.map(({ size }) => {
    const spread = NOISE_SHARE * Math.max(0, dot(size, EXPECTED))
    return 1 / (NOISE_TOKENS ** 2 + spread ** 2)
  })
  let factors = EXPECTED
  for (let round = 0; round < ROUNDS; round++) {
    const weights = growths.map((growth, index) => {
      const precision = precisions[index] ?? 0
      const deviation = Math.abs(growth.prompt - dot(growth.size, factors)) * Math.sqrt(precision)
      return deviation > OUTLIER ? (precision * OUTLIER) / deviation : precision
    })
    factors = ridge(growths, weights)
  }
  return [Math.max(0, factors[0]), Math.max(0, factors[1]), factors[2]]
}

/** Normal equations of three factors; the ridge keeps them solvable whatever the growths are. */
function ridge(growths: readonly Growth[], weights: readonly number[]): Factors {
  const [holdTokens, holdThinking, holdRequests] = HOLD.map((hold) => hold ** 2) as [number, number, number]
  let a = holdTokens
  let b = 0
  let c = 0
  let d = holdThinking
  let e = 0
  let f = holdRequests
  let x = holdTokens * EXPECTED[0]
  let y = holdThinking * EXPECTED[1]
  let z = holdRequests * EXPECTED[2]
  growths.forEach(({ size, prompt }, index) => {
    const weight = weights[index] ?? 0
    const [tokens, thinking, requests] = size
    a += weight * tokens * tokens
    b += weight * tokens * thinking
    c += weight * tokens * requests
    d += weight * thinking * thinking
    e += weight * thinking * requests
    f += weight * requests * requests
    x += weight * tokens * prompt
    y += weight * thinking * prompt
    z += weight * requests * prompt
  })
  return solveSymmetric([a, b, c, d, e, f], [x, y, z])
}

/** Solves [[a,b,c],[b,d,e],[c,e,f]] s = right by Cholesky; the matrix is positive definite. */
function solveSymmetric(matrix: readonly [number, number, number, number, number, number], right: Factors): Factors {
  const [a, b, c, d, e, f] = matrix
  const l11 = Math.sqrt(a)
  const l21 = b / l11
  const l31 = c / l11
  const l22 = Math.sqrt(d - l21 * l21)
  const l32 = (e - l31 * l21) / l22
  const l33 = Math.sqrt(f - l31 * l31 - l32 * l32)
  const u = right[0] / l11
  const v = (right[1] - l21 * u) / l22
  const w = (right[2] - l31 * u - l32 * v) / l33
  const third = w / l33
  const second = (v - l32 * third) / l22
  return [(u - l21 * second - l31 * third) / l11, second, third]
}

/** Learns from recorded requests to tell the prompt of a view of any size. */
export type Training = (points: readonly PromptPoint[]) => ((size: ViewSize) => number) | undefined

function trainFit(points: readonly PromptPoint[]): ReturnType<Training> {
  const fitted = fitPrompt(points)
  return fitted && ((size) => predictPrompt(fitted, size))
}

/**
 * Relative errors of predicting the later half of a stretch from its earlier half, no later usage seen. Empty for
 * stretches of fewer than 4 requests.
 */
export function heldOutErrors(stretch: readonly PromptPoint[], train: Training = trainFit): number[] {
  if (stretch.length < MINIMUM_POINTS) return []
  const half = Math.ceil(stretch.length / 2)
  const predict = train(stretch.slice(0, half))
  if (!predict) return []
  return stretch.slice(half).map((point) => Math.abs(predict(point.size) - point.prompt) / point.prompt)
}

/** The value below which `share` of the numbers lie (nearest rank); null without numbers. */
export function quantile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? null
}

/** Calibrates a transcript's estimates from its recorded usage; undefined when none is recorded. */
export function calibrate(transcript: Transcript): Calibration | undefined {
  const points = promptPoints(transcript)
  const fitted = fitPrompt(points)
  const first = points[0]
  const last = points.at(-1)
  if (!fitted || !first || !last) return undefined
  const errors = stretchesOf(points).flatMap((stretch) => heldOutErrors(stretch))
  return {
    floor: Math.max(0, first.prompt - viewTokens(fitted, first.size)),
    charsPerToken: last.size.chars / Math.max(1, viewTokens(fitted, last.size)),
    p50Error: quantile(errors, 0.5),
    p90Error: quantile(errors, 0.9),
    fit: fitted,
  }
}
