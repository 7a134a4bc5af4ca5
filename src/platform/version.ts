import { createRequire } from 'node:module'

/** From package.json, found from the sources and from the build. */
export const version: string = createRequire(import.meta.url)('#package').version
