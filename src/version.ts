import { createRequire } from 'node:module'

/** Of the service: that of package.json, which Node finds above the sources and above what the build makes of them. */
export const version: string = createRequire(import.meta.url)('#package').version
