import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { inChunks } from '../../process/in-chunks.ts'

/** Many more parts than a form with one file has. */
const mostParts = 100
/** Other fields are thrown away: no more of each is kept until then. */
const otherFieldBytes = 1024

const missing = 'Send one file as the form field file.'
const broken = 'The body is not valid multipart/form-data.'

/** The content of the one field `file` of a form; other fields are ignored. */
export function readFormFile(
  bytes: Buffer,
  contentType: string,
): Promise<{ file: Buffer } | { fault: string }> {
  return new Promise((resolve) => {
    const form = openForm(contentType)
    if (form === null) return resolve({ fault: broken })
    const files: Buffer[][] = []
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
    form.on('partsLimit', () => stop(`A form can have at most ${mostParts} fields.`))
    form.on('error', () => stop(broken))
    form.on('finish', () => {
      const [file, ...others] = files
      if (file === undefined || others.length > 0) stop(missing)
      else resolve({ file: Buffer.concat(file) })
    })
    source.pipe(form)
  })
}

/** Null where the boundary is missing. */
function openForm(contentType: string): BusboyInstance | null {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      // Also where it has no file name, as some programs send it.
      isPartAFile: (field) => field === 'file',
      limits: { parts: mostParts, fieldSize: otherFieldBytes },
    })
  } catch {
    return null
  }
}
