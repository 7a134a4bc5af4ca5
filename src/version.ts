import { createRequire } from 'node:module'

/** The version in package.json, which Node finds from the sources and from the build. */
export const version: string = createRequire(import.meta.url)('#package').version
