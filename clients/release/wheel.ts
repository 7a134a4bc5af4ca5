import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import numbered from '../version.json' with { type: 'json' }

const root = join(import.meta.dirname, '../..')
const name = 'payment_intents_mru'
export const wheelName = `${name}-${numbered.version}-py3-none-any.whl`

const metadata = `Metadata-Version: 2.1
Name: payment-intents-mru
Version: ${numbered.version}
Summary: A client for the payment intents API
License: MIT
Requires-Python: >=3.9
Classifier: License :: OSI Approved :: MIT License
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

`

/** The wheel of the Python package, with the same bytes on every machine. */
export function buildWheel(): Uint8Array {
  const info = `${name}-${numbered.version}.dist-info`
  const folder = join(root, 'clients/python')
  const sources = readdirSync(join(folder, name)).filter((file) => /\.(py|typed)$/.test(file))
  const files: Record<string, string> = {
    ...Object.fromEntries(
      sources.toSorted().map((file) => [`${name}/${file}`, read(`${folder}/${name}/${file}`)]),
    ),
    [`${info}/LICENSE`]: read(join(root, 'LICENSE')),
    [`${info}/METADATA`]: metadata + read(join(folder, 'README.md')),
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: payment-intents\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  }
  const rows = Object.entries(files).map(([path, text]) => {
    const digest = createHash('sha256').update(text).digest('base64url')
    return `${path},sha256=${digest},${Buffer.byteLength(text)}\n`
  })
  const record = `${info}/RECORD`
  const entries = Object.entries({ ...files, [record]: `${rows.join('')}${record},,\n` })
  // A zip file stores local time. Its entries aren't compressed, so they are the same everywhere.
  const options = { level: 0, mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 * 0x10000 } as const
  return zipSync(Object.fromEntries(entries.map(([path, text]) => [path, Buffer.from(text)])), options)
}

/** A checkout on Windows may have other line ends. */
const read = (path: string): string => readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
