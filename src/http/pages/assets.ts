import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Response } from 'express'

export interface Asset {
  path: string
  type: 'css' | 'js'
  content: string | Buffer
}

/** The path contains a hash, so browsers may cache the asset forever. */
export const createAsset = (folder: string, type: Asset['type'], content: Asset['content']): Asset => ({
  path: `${folder}/${hash('sha256', content, 'hex').slice(0, 10)}.${type}`,
  type,
  content,
})

export const serveAsset =
  ({ type, content }: Asset) =>
  (_req: unknown, res: Response): void => {
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.type(type).send(content)
  }

const root = join(import.meta.dirname, '../..')

/** `file` is relative to src. The build copies these files to dist/src. */
export const readAsset = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A file, or one whose rules apply up to a window width. */
type Styles = string | { file: string; maxWidth: string }

export const createStylesheet = (folder: string, files: readonly Styles[]): Asset =>
  createAsset(folder, 'css', files.map(readStyles).join('\n'))

const readStyles = (styles: Styles) =>
  typeof styles === 'string'
    ? readAsset(styles)
    : `@media (max-width: ${styles.maxWidth}) {\n${readAsset(styles.file)}}\n`

/** Every page works without scripts. */
export const createScript = (folder: string, files: readonly string[]): Asset => {
  const parts = ['http/pages/scripts/each.js', ...files].map(readAsset)
  return createAsset(folder, 'js', `(function () {\n'use strict';\n${parts.join('\n')}})();\n`)
}
