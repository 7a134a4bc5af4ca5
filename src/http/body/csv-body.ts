import { createHash } from 'node:crypto'
import { refuse } from '../../errors.ts'
import { readFormFile } from './form-file.ts'
import { isJsonType, parseJson } from './json-body.ts'
import { mediaTypeOf } from './media-type.ts'
import type { Body } from './parsed.ts'

/** JSON is read at one go, and nothing else is served meanwhile; a file itself is read piece by piece. */
export const maxJsonFileBytes = 2 * 1024 * 1024

/** What the operation gets: the file's bytes, the text that stood in JSON, or whatever else stood there. */
const asked = (csv: unknown): Body => ({ value: { csv }, params: digest(csv) })

/** A CSV file as itself, as the field `file` of a form, or as the field `csv` of a JSON object. */
export async function readCsv(bytes: Buffer, contentType: string | undefined): Promise<Body> {
  const { type, isUtf8 } = mediaTypeOf(contentType)
  if (type === 'text/csv' && isUtf8) return asked(bytes)
  if (type === 'multipart/form-data') {
    const form = await readFormFile(bytes, contentType ?? '')
    return 'file' in form
      ? asked(form.file)
      : { refusal: refuse('VALIDATION_ERROR', { param: 'file', message: form.fault }) }
  }
  if (bytes.length === 0) return asked(undefined)
  if (!isJsonType(contentType)) return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE', { message: acceptedCsv }) }
  if (bytes.length > maxJsonFileBytes) return { refusal: refuse('PAYLOAD_TOO_LARGE', { message: tooLarge }) }
  const body = parseJson(bytes)
  if ('refusal' in body) return body
  const csv = (body.value as { csv?: unknown } | null)?.csv
  // Whatever else is refused alike, and may take fifteen times its bytes until then.
  return asked(typeof csv === 'object' ? null : csv)
}

const tooLarge =
  'A file in JSON can have at most 2 MiB. Send a larger file as text/csv or multipart/form-data.'

export const acceptedCsv =
  'Send the file as text/csv in UTF-8, in the field file of multipart/form-data, or in the field csv of application/json, without compression.'

/** Of the content alone: a form has another boundary each time it is sent. */
const digest = (csv: unknown): string | null =>
  typeof csv === 'string' || Buffer.isBuffer(csv)
    ? createHash('sha256').update(csv).digest('base64url')
    : null
