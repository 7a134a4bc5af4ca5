import { createRequire } from 'node:module'

/** Read from package.json, which Node.js finds from the sources as well as from the build. */
export const version: string = createRequire(import.meta.url)('#package').version
