import { createRequire } from 'node:module'

/** Works both from the sources and from the build. */
export const packageVersion: string = createRequire(import.meta.url)('#package').version
