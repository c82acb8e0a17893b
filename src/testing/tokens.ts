/**
 * Token counts of the scripted model. They need not be the provider's: they must be the same for the same bytes,
 * grow with them, and add up block by block, so that usage and cache figures of a test can be checked by hand.
 */
const BYTES_PER_TOKEN = 4

export function tokensIn(json: string): number {
  return Math.ceil(Buffer.byteLength(json) / BYTES_PER_TOKEN)
}
