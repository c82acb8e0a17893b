/** Images and documents: A53, A54, A56. */
import { mostImagesOf } from '../../../core/models.ts'
import { type Fields, fieldsOf, textOf } from '../../fields.ts'
import { imageSize } from '../../image-size.ts'
import type { Placed } from '../places.ts'
import type { Found, RequestRule } from '../rule.ts'
import { allBlocks, type MessagesReading } from './reading.ts'

const MOST_PIXELS = 8000
/** With more images than this, each must be small. */
const MANY_IMAGES = 20
const MOST_PIXELS_OF_MANY = 2000
const MEBIBYTE = 1024 * 1024
/** Base64 characters; 5 MB in older texts and still on other platforms: there it warns. */
const MOST_IMAGE_CHARS = 10 * MEBIBYTE
const SAFE_IMAGE_CHARS = 5 * MEBIBYTE
const MOST_PDF_PAGES = 100
const DOCUMENT_SOURCES = ['base64', 'text', 'content', 'url', 'file']
/** How each kind of image begins in base64. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
]
const PNG_END = Buffer.from('49454e44ae426082', 'hex')

export const MEDIA_RULES: readonly RequestRule<MessagesReading>[] = [
  {
    id: 'A53',
    severity: 'reject',
    evidence: 'doc',
    statement: 'Images: 8,000 pixels a side, 2,000 with more than 20 images; limited in number and bytes.',
    check: checkImages,
  },
  {
    id: 'A54',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'Base64 of an image is whole and of the kind it says.',
    check: (reading) => imagesOf(reading).flatMap(checkEncoding),
  },
  {
    id: 'A56',
    severity: 'warn',
    evidence: 'inferred',
    statement: 'PDFs: at most 100 pages, not encrypted; title and context are text; sources of known kinds.',
    check: (reading) =>
      allBlocks(reading)
        .filter(({ type }) => type === 'document')
        .flatMap(checkDocument),
  },
]

function imagesOf(reading: MessagesReading): Placed[] {
  return allBlocks(reading).filter(({ type }) => type === 'image')
}

function base64Of({ fields }: Placed): { data: string; source: Fields } | undefined {
  const source = fieldsOf(fields.source)
  return source?.type === 'base64' && typeof source.data === 'string' ? { data: source.data, source } : undefined
}

function checkImages(reading: MessagesReading): Found[] {
  const images = imagesOf(reading)
  const most = mostImagesOf(reading.model)
  const many = images.length > MANY_IMAGES
  const found: Found[] = []
  for (const image of images) {
    const data = base64Of(image)?.data
    if (data === undefined) continue
    const at = `${image.at}.image.source.base64.data`
    const { width, height } = imageSize(data)
    const side = Math.max(width, height)
    const message = `${at}: At least one of the image dimensions exceed max allowed size`
    if (side > MOST_PIXELS) found.push({ at, message: `${message}: ${MOST_PIXELS} pixels` })
    else if (many && side > MOST_PIXELS_OF_MANY) {
      found.push({ at, message: `${message} for many-image requests: ${MOST_PIXELS_OF_MANY} pixels` })
    }
    if (data.length > SAFE_IMAGE_CHARS) found.push({ at, ...tooLarge(at, data.length) })
  }
  if (images.length > most) {
    found.push({ at: 'messages', message: `messages: at most ${most} images are allowed. Found ${images.length}.` })
  }
  return found
}

function tooLarge(at: string, length: number): Pick<Found, 'message' | 'unsure'> {
  const unsure = length <= MOST_IMAGE_CHARS
  const most = unsure ? SAFE_IMAGE_CHARS : MOST_IMAGE_CHARS
  const message = `${at}: image exceeds ${most / MEBIBYTE} MB maximum: ${length} bytes > ${most} bytes`
  return { message, ...(unsure ? { unsure } : {}) }
}

function checkEncoding(image: Placed): Found[] {
  const encoded = base64Of(image)
  if (!encoded) return []
  const { data, source } = encoded
  const at = `${image.at}.image.source.base64`
  const isBase64 = data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)
  if (!isBase64) return [{ at, message: `${at}.data: Could not process image: not valid base64` }]
  const kind = BEGINNINGS.find(([, beginning]) => data.startsWith(beginning))?.[0]
  if (kind !== source.media_type) {
    return [
      {
        at,
        message: `${at}.media_type: the image does not match the provided media type ${textOf(source.media_type) ?? ''}`,
      },
    ]
  }
  const isCut = kind === 'image/png' && !Buffer.from(data.slice(-16), 'base64').includes(PNG_END)
  return isCut ? [{ at, message: `${at}.data: Could not process image: it is cut off` }] : []
}

function checkDocument(document: Placed): Found[] {
  const { fields, at } = document
  const found: Found[] = []
  for (const field of ['title', 'context']) {
    const value = fields[field]
    if (value !== undefined && value !== null && typeof value !== 'string') {
      found.push({ at, message: `${at}.document.${field}: Input should be a valid string` })
    }
  }
  const kind = textOf(fieldsOf(fields.source)?.type) ?? ''
  if (!DOCUMENT_SOURCES.includes(kind))
    found.push({ at, message: `${at}.document.source: unknown source type '${kind}'` })
  const encoded = base64Of(document)
  if (encoded && encoded.source.media_type === 'application/pdf') {
    const pdf = Buffer.from(encoded.data, 'base64').toString('latin1')
    if (pagesOf(pdf) > MOST_PDF_PAGES) {
      found.push({ at, message: `${at}: A maximum of ${MOST_PDF_PAGES} PDF pages may be provided.` })
    }
    if (pdf.includes('/Encrypt')) found.push({ at, message: `${at}: The PDF is encrypted or password protected` })
  }
  return found
}

/** Page objects that stand in the open; those inside compressed object streams are not seen. */
function pagesOf(pdf: string): number {
  return pdf.match(/\/Type\s{0,8}\/Page(?![a-zA-Z])/g)?.length ?? 0
}
