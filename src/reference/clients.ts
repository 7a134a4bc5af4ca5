import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { version } from '../platform/version.ts'

/** The build copies this folder to dist, so the path is the same there. */
const folder = join(import.meta.dirname, '../../docs/clients')

const collection = 'payments.postman_collection.json'
const clients = [
  'payments.ts',
  ...['client', 'verify'].flatMap((name) => [`${name}.mjs`, `${name}.py`, `${name}.php`]),
  'inbox.mjs',
  'inbox.py',
  'pay.py',
  'pay.php',
  'hooks.py',
  'catchup.py',
  'close.py',
  collection,
]

/** The values that the files contain for an installation with the default configuration. */
const defaultUrl = 'https://api.payments.example'
const defaultBrand = "const headerBrand = 'Service'"
const defaultPrefix = 'x-service-'

export interface ClientFile {
  path: string
  type: string
  content: string | Buffer
}

/** The path of the command line for merchants. npx caches a package under its URL, so the URL contains the version. */
export const cliPath = `/docs/cli-${version}.tgz`

/** Reads the files of docs/clients/, with the public URL and the webhook headers of this installation. */
export const readClients = (config: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>): ClientFile[] => [
  ...clients.map((name) => ({
    path: `/docs/clients/${name}`,
    // Browsers show plain text, and Deno recognises TypeScript by the file extension.
    type: `${name === collection ? 'application/json' : 'text/plain'}; charset=utf-8`,
    content: readFileSync(join(folder, name), 'utf8')
      .replaceAll(defaultUrl, config.publicUrl)
      .replace(defaultBrand, `const headerBrand = '${config.webhookHeaderBrand}'`)
      .replaceAll(defaultPrefix, `x-${config.webhookHeaderBrand.toLowerCase()}-`),
  })),
  ...readCli(),
]

/** Reads the package of the command line for merchants, which `npm run pack` builds from cli/. */
function readCli(): ClientFile[] {
  const file = join(folder, `payment-intents-cli-${version}.tgz`)
  if (!existsSync(file)) return []
  return [{ path: cliPath, type: 'application/gzip', content: readFileSync(file) }]
}
