import { createRequire } from 'node:module'

/** Node.js finds package.json from the sources as well as from the build. */
export const packageVersion: string = createRequire(import.meta.url)('#package').version
