import { createRequire } from 'node:module'

/** The version from package.json, which Node.js resolves both from the sources and from the build. */
export const version: string = createRequire(import.meta.url)('#package').version
