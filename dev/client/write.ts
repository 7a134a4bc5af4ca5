// `npm run client`: writes the files of docs/clients/, and names each file that it changed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateClient } from './generate.ts'

const folder = join(import.meta.dirname, '../../docs/clients')
mkdirSync(folder, { recursive: true })
const path = join(folder, 'payments.ts')
const text = await generateClient()
const before = readFileSync(path, { encoding: 'utf8', flag: 'a+' })
if (text !== before) {
  writeFileSync(path, text)
  process.stdout.write('docs/clients/payments.ts\n')
}
