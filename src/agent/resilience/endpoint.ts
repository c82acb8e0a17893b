/**
 * The endpoint that is really used, and whether it can be reached: the configured one, not a well-known host that
 * happens to answer. A name lookup and a TCP handshake; nothing is sent.
 */
import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { REAL_TIMING, type Timing } from './timing.ts'

export const DEFAULT_PROBE_TIMEOUT_MS = 5000
export const DEFAULT_PROBE_EVERY_MS = 15_000
export const DEFAULT_PROBE_AT_MOST_MS = 3_600_000

export interface ProbeOptions {
  readonly probeTimeoutMs: number
  readonly probeEveryMs: number
  /** How long to wait for the endpoint altogether. */
  readonly probeAtMostMs: number
}

export const DEFAULT_PROBE: ProbeOptions = {
  probeTimeoutMs: DEFAULT_PROBE_TIMEOUT_MS,
  probeEveryMs: DEFAULT_PROBE_EVERY_MS,
  probeAtMostMs: DEFAULT_PROBE_AT_MOST_MS,
}

export interface Endpoint {
  readonly host: string
  readonly port: number
}

type Environment = Readonly<Record<string, string | undefined>>

const ANTHROPIC = 'https://api.anthropic.com'

/** Where the agent's requests go by this environment: a proxy where one is set, else the provider's address. */
export function endpointOf(environment: Environment): Endpoint {
  const target = urlOf(providerUrl(environment)) ?? new URL(ANTHROPIC)
  const proxy = proxyFor(target, environment)
  const { hostname, port, protocol } = proxy ?? target
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'http:' ? 80 : 443) }
}

function providerUrl(environment: Environment): string {
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? 'us-east-1'
  if (isSet(environment.CLAUDE_CODE_USE_BEDROCK)) {
    return environment.ANTHROPIC_BEDROCK_BASE_URL ?? `https://bedrock-runtime.${region}.amazonaws.com`
  }
  if (isSet(environment.CLAUDE_CODE_USE_VERTEX)) {
    const place = environment.CLOUD_ML_REGION ?? 'global'
    const host = place === 'global' ? 'aiplatform.googleapis.com' : `${place}-aiplatform.googleapis.com`
    return environment.ANTHROPIC_VERTEX_BASE_URL ?? `https://${host}`
  }
  return environment.ANTHROPIC_BASE_URL || ANTHROPIC
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase())
}

function proxyFor(target: URL, environment: Environment): URL | undefined {
  const name = target.protocol === 'http:' ? 'HTTP_PROXY' : 'HTTPS_PROXY'
  const proxy = environment[name] || environment[name.toLowerCase()]
  if (!proxy || isExempt(target.hostname, environment.NO_PROXY || environment.no_proxy || '')) return undefined
  return urlOf(proxy)
}

function isExempt(host: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || host === entry || host.endsWith(entry.startsWith('.') ? entry : `.${entry}`))
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** One lookup and one handshake; false when either fails or takes longer than `timeoutMs`. */
export async function isReachable({ host, port }: Endpoint, timeoutMs: number): Promise<boolean> {
  const limit = AbortSignal.timeout(timeoutMs)
  const ended = new Promise<false>((resolve) => limit.addEventListener('abort', () => resolve(false), { once: true }))
  return Promise.race([handshake(host, port, limit), ended])
}

async function handshake(host: string, port: number, limit: AbortSignal): Promise<boolean> {
  let address: string
  try {
    address = (await lookup(host)).address
  } catch {
    // No name, no endpoint: that is the answer to the question.
    return false
  }
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, signal: limit })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

/**
 * Waits until the endpoint answers.
 * @param onWaiting called before each further wait, with the milliseconds waited so far
 * @returns false when it did not within `probeAtMostMs`, or the signal fired
 */
export async function waitForEndpoint(
  endpoint: Endpoint,
  options: ProbeOptions = DEFAULT_PROBE,
  {
    timing = REAL_TIMING,
    signal,
    onWaiting,
    probe = isReachable,
  }: {
    readonly timing?: Timing
    readonly signal?: AbortSignal | undefined
    readonly onWaiting?: (waitedMs: number) => void
    readonly probe?: (endpoint: Endpoint, timeoutMs: number) => Promise<boolean>
  } = {},
): Promise<boolean> {
  const started = timing.now()
  for (;;) {
    if (signal?.aborted) return false
    if (await probe(endpoint, options.probeTimeoutMs)) return true
    const waited = timing.now() - started
    if (waited + options.probeEveryMs > options.probeAtMostMs) return false
    onWaiting?.(waited)
    await timing.wait(options.probeEveryMs, signal)
  }
}
