import type { Route } from '../../../src/http/operations/route.ts'
import { routes } from '../../../src/http/routes/routes.ts'

const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^/api/v1${route.path.replaceAll(/:\w+/g, '[^/?]+')}(\\?|$)`),
}))

/** The operation of the API that a request asks for, if there is one. */
export function operationAt(method: string, line: string): Route | null {
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase()
  return patterns.find(({ route, pattern }) => route.method === asked && pattern.test(line))?.route ?? null
}
