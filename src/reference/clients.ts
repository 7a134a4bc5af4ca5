import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Config } from '../config/config.ts'

/** The build copies this folder to dist. */
const folder = join(import.meta.dirname, '../../clients')

const defaultUrl = 'https://api.payments.example'

interface ClientFile {
  path: string
  type: string
  content: string
}

export const readClientFiles = (config: Pick<Config, 'publicUrl'>): ClientFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(examples\/.*|.*\.postman_collection\.json)$/.test(file))
    .map((file) => ({
      path: `/docs/clients/${basename(file)}`,
      // Browsers show plain text instead of downloading it.
      type: `${file.endsWith('.json') ? 'application/json' : 'text/plain'}; charset=utf-8`,
      content: readFileSync(join(folder, file), 'utf8').replaceAll(defaultUrl, config.publicUrl),
    }))
