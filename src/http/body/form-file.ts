import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { inChunks } from '../../process/in-slices.ts'

/** The maximum number of parts in a form. A form with one file needs far fewer. */
const maxParts = 100
/** How many bytes the parser keeps of each field other than the file, whose values are ignored. */
const otherFieldBytes = 1024

const missing = 'Send one file as the form field file.'
const broken = 'The body is not valid multipart/form-data.'

/** Returns the content of the form field `file`, and the names of all other fields. */
export function readFormFile(
  bytes: Buffer,
  contentType: string,
): Promise<{ file: Buffer; others: string[] } | { fault: string }> {
  return new Promise((resolve) => {
    const form = openForm(contentType)
    if (form === null) return resolve({ fault: broken })
    const files: Buffer[][] = []
    const names: string[] = []
    const source = Readable.from(inChunks(bytes))
    const stop = (fault: string) => {
      source.destroy()
      resolve({ fault })
    }
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
      if (file === undefined || more.length > 0) stop(missing)
      else resolve({ file: Buffer.concat(file), others: names })
    })
    source.pipe(form)
  })
}

/** Returns null if the Content-Type header contains no boundary. */
function openForm(contentType: string): BusboyInstance | null {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // The file's part is recognised by its field name, because some clients send no file name.
      isPartAFile: (field) => field === 'file',
      limits: { parts: maxParts, fieldSize: otherFieldBytes },
    })
  } catch {
    return null
  }
}
