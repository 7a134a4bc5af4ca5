import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { html } from 'ghtml'
import type { Config } from '../config/config.ts'
import type { Asset } from '../http/pages/assets.ts'
import type { ClientPackage } from './packages.ts'

export interface GuideFile {
  path: string
  type: 'html' | 'json' | 'text'
  content: string
}

export interface Guide {
  assets: Asset[]
  files: GuideFile[]
}

const builtFile = join(import.meta.dirname, '../../docs/guide.json')
/** The build copies this folder to dist. */
const clients = join(import.meta.dirname, '../../clients')

/** The build renders the guide, so production needs no Markdown library. */
const guide: Guide = existsSync(builtFile)
  ? JSON.parse(readFileSync(builtFile, 'utf8'))
  : (await import('../../docs/site/render.ts')).renderGuide()

export const guideAssets: readonly Asset[] = guide.assets

type ListedPackage = Pick<ClientPackage, 'path' | 'file' | 'sha256'>

/** The rendered files contain sample names of the service and its headers. */
export function readGuide(
  { publicUrl, webhookHeaderBrand: brand }: Pick<Config, 'publicUrl' | 'webhookHeaderBrand'>,
  packages: readonly ListedPackage[],
): GuideFile[] {
  const listed = packages.length === 0 ? '' : listPackages(packages)
  return guide.files.map(({ content, ...file }) => ({
    ...file,
    content: content
      .replaceAll('https://pay.example', html`${publicUrl}`)
      .replaceAll('X-Service-', `X-${brand}-`)
      .replaceAll('x-service-', `x-${brand.toLowerCase()}-`)
      .replaceAll('Service-Webhooks/', `${brand}-Webhooks/`)
      .replace('<!-- packages -->', listed),
  }))
}

/** The programs that the guide shows, and the Postman collection. */
export const readClientFiles = ({ publicUrl }: Pick<Config, 'publicUrl'>): GuideFile[] =>
  readdirSync(clients, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(examples\/.*|.*\.postman_collection\.json)$/.test(file))
    .map((file) => ({
      path: `/docs/clients/${basename(file)}`,
      // Browsers show plain text instead of downloading it.
      type: file.endsWith('.json') ? 'json' : 'text',
      content: readFileSync(join(clients, file), 'utf8').replaceAll(
        'https://api.payments.example',
        publicUrl,
      ),
    }))

const listPackages = (packages: readonly ListedPackage[]): string => html`<h2 id="packages">Packages</h2>
<p>A released file never changes. Each has its SHA-256 below it.</p>
<ul>
!${packages.map(({ path, file, sha256 }) => html`<li><a href="${path}">${file}</a><br><code>${sha256}</code></li>`)}
</ul>`
