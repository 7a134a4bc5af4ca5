import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Config } from '../config/config.ts'

/** The build copies this folder to dist. */
const folder = join(import.meta.dirname, '../../clients')

const defaultUrl = 'https://api.payments.example'
const defaultBrand = "const headerBrand = 'Service'"
const defaultPrefix = 'x-service-'

interface ClientFile {
  path: string
  type: string
  content: string | Buffer
}

export const readClientFiles = (config: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>): ClientFile[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(examples\/.*|typescript\/.*\.ts|.*\.postman_collection\.json)$/.test(file))
    .map((file) => ({
      path: `/docs/clients/${basename(file)}`,
      // Browsers show plain text instead of downloading it.
      type: `${file.endsWith('.json') ? 'application/json' : 'text/plain'}; charset=utf-8`,
      content: readFileSync(join(folder, file), 'utf8')
        .replaceAll(defaultUrl, config.publicUrl)
        .replace(defaultBrand, `const headerBrand = '${config.webhookHeaderBrand}'`)
        .replaceAll(defaultPrefix, `x-${config.webhookHeaderBrand.toLowerCase()}-`),
    }))
