/** Which page the browser names: one of the service, of another site, without origin, of a sibling domain, or none. */
export const sites = ['own', 'foreign', 'hidden', 'sibling', 'silent'] as const
export type Site = (typeof sites)[number]
export type Expected = 'refused' | 'keyless' | 'keyed'
export type Raw = { text: string; expected: readonly Expected[] }

export interface Attack {
  target: string
  method: string
  line: string
  headers: readonly (readonly [name: string, value: string])[]
  idempotencyKey: string | null
  contentType: string | null
  body: string | Buffer | null
  isChunked: boolean
  raw: Raw | null
  actor: number
  staff: number
  badAuthorization: number
  site: Site
  from: readonly [number, number]
}

/** Requests that belong together: first `oneAtATime` in order, then `atOnce` concurrently. */
export type Scene = { oneAtATime: readonly Attack[]; atOnce: readonly Attack[] }
