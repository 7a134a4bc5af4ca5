import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { maxFieldFaults } from '../../input/known-fields.ts'
import { refuse } from '../../platform/errors.ts'
import { streamChunks } from '../../platform/in-slices.ts'
import type { CsvUpload } from '../../store/imports/import-products.ts'
import { isJsonType, type ParsedBody, parseJson, parseMediaType } from './json-body.ts'

/** Parsing JSON blocks the process, so the limit is lower than for CSV. */
export const maxJsonFileBytes = 2 * 1024 * 1024

const bodyOf = (csv: unknown, kind: CsvUpload['kind'], others: string[] = []): ParsedBody => ({
  value: { csv, kind, others } satisfies CsvUpload,
  params: others.length === 0 ? digest(csv) : [digest(csv), ...others],
})

export async function readCsvBody(bytes: Buffer, contentType: string | undefined): Promise<ParsedBody> {
  const { type, isUtf8 } = parseMediaType(contentType)
  if (type === 'text/csv' && isUtf8) return bodyOf(bytes, 'json')
  if (type === 'multipart/form-data') return readFormFile(bytes, contentType ?? '')
  if (bytes.length === 0) return bodyOf(undefined, 'json')
  if (!isJsonType(contentType))
    return { refusal: refuse('UNSUPPORTED_MEDIA_TYPE', { message: csvTypeMessage }) }
  if (bytes.length > maxJsonFileBytes) return { refusal: refuse('PAYLOAD_TOO_LARGE', { message: tooLarge }) }
  const { value, refusal } = parseJson(bytes)
  if (refusal) return { refusal }
  const { csv, ...more }: { csv?: unknown } =
    typeof value === 'object' && !Array.isArray(value) ? (value ?? {}) : {}
  const others = Object.keys(more)
  // An object takes up to 15 times as much memory as its text.
  return bodyOf(typeof csv === 'object' ? null : csv, 'json', others.slice(0, maxFieldFaults))
}

const tooLarge =
  'A file sent as JSON can be at most 2 MiB. Send a larger file as text/csv or multipart/form-data.'

export const csvTypeMessage =
  'Send the file uncompressed: as text/csv in UTF-8, in the "file" field of multipart/form-data, or in the "csv" field of application/json.'

/** Clients choose a new multipart boundary for each request. */
const digest = (csv: unknown): string | null =>
  typeof csv === 'string' || Buffer.isBuffer(csv)
    ? createHash('sha256').update(csv).digest('base64url')
    : null

const maxParts = 100
/** Errors quote only the names of unexpected fields, so values may be cut. */
const otherFieldBytes = 1024

const noFile = 'Send one file in the form field "file".'
const broken = 'The body is not valid multipart/form-data.'

function readFormFile(bytes: Buffer, contentType: string): Promise<ParsedBody> {
  return new Promise((resolve) => {
    const source = Readable.from(streamChunks(bytes))
    const stop = (message: string) => {
      source.destroy()
      resolve({ refusal: refuse('VALIDATION_ERROR', { param: 'file', message }) })
    }
    const form = openForm(contentType)
    if (form === null) return stop(broken)
    const files: Buffer[][] = []
    const names: string[] = []
    form.on('file', (_field, stream) => {
      const chunks: Buffer[] = []
      files.push(chunks)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('error', () => stop(broken))
    })
    form.on('field', (name: string | undefined) => names.push(name ?? ''))
    form.on('partsLimit', () => stop(`A form can have at most ${maxParts} fields.`))
    form.on('error', () => stop(broken))
    form.on('finish', () => {
      const [file, ...more] = files
      if (file === undefined || more.length > 0) stop(noFile)
      else resolve(bodyOf(Buffer.concat(file), 'form', names))
    })
    source.pipe(form)
  })
}

function openForm(contentType: string): BusboyInstance | null {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Some clients send no file name.
      isPartAFile: (field) => field === 'file',
      limits: { parts: maxParts, fieldSize: otherFieldBytes },
    })
  } catch {
    return null
  }
}
