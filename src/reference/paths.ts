import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
// The package itself is not imported, because importing it would execute all of Swagger UI in this process.
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js'
import { script } from './script.ts'
import { style } from './style.ts'

/** The only Swagger UI files that the page needs. The package's other files are not served. */
export const bundle = readFileSync(join(folderOfSwaggerUi(), 'swagger-ui-bundle.js'))
export const swaggerStyle = readFileSync(join(folderOfSwaggerUi(), 'swagger-ui.css'))

/** Returns the path of a file. The path contains a hash of the file, so browsers can cache the file indefinitely. */
const pathOf = (text: string | Buffer, ending: string): string =>
  `/docs/${createHash('sha256').update(text).digest('hex').slice(0, 10)}.${ending}`

export const bundlePath = pathOf(bundle, 'js')
export const swaggerStylePath = pathOf(swaggerStyle, 'css')
export const scriptPath = pathOf(script, 'js')
export const stylePath = pathOf(style, 'css')
