import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Response, Router } from 'express'
import { preparePage } from '../http/pages/prepare-page.ts'
import type { Deps } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'

const clients = join(import.meta.dirname, '../../clients')
/** `npm run client -- --preview` writes the second one. Builds don't contain it. */
const folders = ['released', 'preview'].map((name) => join(clients, name))

export interface ClientPackage {
  /** E.g. `/docs/packages/payment-intents-mru-client-1.0.0.tgz`. */
  path: string
  file: string
  version: string
  sha256: string
  content: Buffer
  isReleased: boolean
}

/** Every released version of every package, newest first. */
export function readPackages(): ClientPackage[] {
  const found = folders.flatMap((folder, index) => {
    const sums = join(folder, 'SHA256SUMS')
    const lines = existsSync(sums) ? readFileSync(sums, 'utf8').split('\n') : []
    return lines.filter(Boolean).map((line) => {
      const [sha256 = '', file = ''] = line.split('  ')
      const version = /\d+\.\d+\.\d+/.exec(file)?.[0] ?? ''
      const content = readFileSync(join(folder, file))
      return { path: `/docs/packages/${file}`, file, version, sha256, content, isReleased: index === 0 }
    })
  })
  return found
    .filter(({ file }, index) => found.findIndex((one) => one.file === file) === index)
    .toSorted((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true }))
}

/** A version never changes, because merchants' lock files pin its content. */
export function packagesRouter(deps: Pick<Deps, 'config'>, packages = readPackages()): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const rights = { scripts: false, images: false, referrer: 'no-referrer' } as const
  const prepare = preparePage(deps, rights)
  const serve = (path: string, type: string, content: Buffer | string, of: ClientPackage): void => {
    router.get(path, prepare, (_req: unknown, res: Response) => {
      const caching = of.isReleased ? 'public, max-age=31536000, immutable' : 'no-cache'
      res.setHeader('Cache-Control', caching)
      res.setHeader('ETag', `"${of.sha256}"`)
      res.type(type).send(content)
    })
    router.all(path, () => {
      throw refuse('ENDPOINT_NOT_FOUND', { headers: { Allow: 'GET, HEAD' } })
    })
  }
  for (const each of packages) {
    const { path, file, sha256, content } = each
    serve(path, typeOf(file), content, each)
    serve(`${path}.sha256`, 'text/plain; charset=utf-8', `${sha256}  ${file}\n`, each)
  }
  return router
}

function typeOf(file: string): string {
  if (file.endsWith('.tgz')) return 'application/gzip'
  return file.endsWith('.whl') ? 'application/zip' : 'text/plain; charset=utf-8'
}
