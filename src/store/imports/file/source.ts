import { isUtf8 } from 'node:buffer'
import { type Refusal, refuse } from '../../../errors.ts'

const utf8Bom = Buffer.from('\uFEFF')
const utf16Boms = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])]
const advice =
  'Save it as UTF-8. In Excel, choose "CSV UTF-8 (Comma delimited)". In LibreOffice, choose the character set "Unicode (UTF-8)".'

/**
 * Returns the bytes of the file in UTF-8, without a byte order mark. Throws VALIDATION_ERROR if the file is missing, is
 * not text, or is not UTF-8.
 */
export function bytesOf(csv: unknown): Buffer {
  if (csv === undefined) throw fault('csv is required.')
  if (typeof csv === 'string') return withoutBom(encoded(csv))
  if (!Buffer.isBuffer(csv)) throw fault('csv must be text.')
  if (isUtf16(csv)) throw fault(`The file is UTF-16. ${advice}`)
  if (!isUtf8(csv)) throw fault(`The file is not UTF-8. ${advice}`)
  return withoutBom(csv)
}

/**
 * Encodes the text in UTF-8. Throws VALIDATION_ERROR if the text contains a lone surrogate, which `Buffer.from` would
 * silently replace.
 */
function encoded(text: string): Buffer {
  if (!text.isWellFormed()) throw fault('csv must be valid Unicode.')
  return Buffer.from(text)
}

/**
 * Returns whether the file is most likely UTF-16: it begins with a UTF-16 byte order mark, or one of its first two
 * bytes is zero.
 */
const isUtf16 = (bytes: Buffer): boolean =>
  bytes[0] === 0 || bytes[1] === 0 || utf16Boms.some((bom) => bytes.subarray(0, 2).equals(bom))

const withoutBom = (bytes: Buffer): Buffer =>
  bytes.subarray(0, utf8Bom.length).equals(utf8Bom) ? bytes.subarray(utf8Bom.length) : bytes

const fault = (message: string): Refusal => refuse('VALIDATION_ERROR', { param: 'csv', message })
