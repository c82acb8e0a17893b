/**
 * Token counts of the scripted model. They need not be the provider's: they must be the same for the same bytes,
 * grow with them, and add up block by block, so that usage and cache figures of a test can be checked by hand.
 */
const BYTES_PER_TOKEN = 4
/** A picture or document, whatever its bytes. */
const MEDIA_TOKENS = 1500
const DATA_ADDRESS = /^data:[^,]{0,100};base64,/

export function tokensIn(value: unknown): number {
  let media = 0
  const json = JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string' && DATA_ADDRESS.test(item)) {
      media++
      return ''
    }
    if (!isBase64(item)) return item
    media++
    return { ...item, data: '' }
  })
  return Math.ceil(Buffer.byteLength(json ?? '') / BYTES_PER_TOKEN) + media * MEDIA_TOKENS
}

function isBase64(value: unknown): value is { readonly data: string } {
  if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'base64') return false
  return 'data' in value && typeof value.data === 'string' && value.data !== ''
}
