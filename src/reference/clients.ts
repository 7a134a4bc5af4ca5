import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { version } from '../version.ts'

/** The build copies this folder to dist, so the path is the same there. */
const folder = join(import.meta.dirname, '../../docs/clients')

/** Browsers show text, and Deno recognises TypeScript by the ending. */
const clients = [
  { name: 'payments.ts', type: 'text/plain; charset=utf-8' },
  { name: 'payments.postman_collection.json', type: 'application/json; charset=utf-8' },
]

/** The values that the files contain for an installation with the default configuration. */
const defaultUrl = 'https://api.payments.example'
const defaultBrand = "const headerBrand = 'Service'"

export interface ClientFile {
  path: string
  type: string
  content: string | Buffer
}

/** The path of the command line for merchants. npx caches a package under its URL, so the URL contains the version. */
export const cliPath = `/docs/cli-${version}.tgz`

/** Reads the files of docs/clients/, with the public URL and the webhook headers of this installation. */
export const readClients = (config: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>): ClientFile[] => [
  ...clients.map(({ name, type }) => ({
    path: `/docs/clients/${name}`,
    type,
    content: readFileSync(join(folder, name), 'utf8')
      .replaceAll(defaultUrl, config.publicUrl)
      .replace(defaultBrand, `const headerBrand = '${config.webhookHeaderBrand}'`),
  })),
  ...readCli(),
]

/** Reads the command line for merchants, which `npm run pack` makes from cli/. */
function readCli(): ClientFile[] {
  const file = join(folder, `payment-intents-cli-${version}.tgz`)
  if (!existsSync(file)) return []
  return [{ path: cliPath, type: 'application/gzip', content: readFileSync(file) }]
}
