import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
// Not the package itself: its first file would run the whole of Swagger UI here.
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js'
import { script } from './script.ts'
import { style } from './style.ts'

/** The two files of Swagger UI that the page needs, read once: the package's own page and its other files are not served. */
export const bundle = readFileSync(join(folderOfSwaggerUi(), 'swagger-ui-bundle.js'))
export const looks = readFileSync(join(folderOfSwaggerUi(), 'swagger-ui.css'))

/** The address of a file changes with it, so that browsers may keep it for good. */
const pathOf = (text: string | Buffer, ending: string): string =>
  `/docs/${createHash('sha256').update(text).digest('hex').slice(0, 10)}.${ending}`

export const bundlePath = pathOf(bundle, 'js')
export const looksPath = pathOf(looks, 'css')
export const scriptPath = pathOf(script, 'js')
export const stylePath = pathOf(style, 'css')
