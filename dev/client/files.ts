import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { generateCollection } from './collection.ts'
import { generateClient } from './generate.ts'

const root = join(import.meta.dirname, '../..')

/** The text of every file in docs/clients/, by its path in the project. */
export async function generateClients(): Promise<Record<string, string>> {
  const texts = {
    'docs/clients/payments.ts': await generateClient(),
    'docs/clients/payments.postman_collection.json': generateCollection(),
  }
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, format(path, text)]))
}

/** Formats the text in the same way as every file of the project. */
function format(path: string, text: string): string {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  })
}
