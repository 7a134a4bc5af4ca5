// `npm run client`: writes the files of docs/clients/, and names each file that it changed.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateClients } from './files.ts'

for (const [path, text] of Object.entries(await generateClients())) {
  const file = join(import.meta.dirname, '../..', path)
  // The flag creates a missing file.
  if (readFileSync(file, { encoding: 'utf8', flag: 'a+' }) === text) continue
  writeFileSync(file, text)
  process.stdout.write(`${path}\n`)
}
