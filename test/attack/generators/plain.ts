import type { Attack } from './attack.ts'

/** A request with nothing wrong about it. */
export interface Plain {
  target: string
  method: string
  line: string
  json?: object
  /** Fields, encoded. */
  form?: string
}

/** The request as one of those that are sent. */
export const plainAttack = ({ json, form, ...made }: Plain, actor: number): Attack => ({
  ...made,
  headers: [],
  idempotencyKey: '~mark~',
  contentType: null,
  body: null,
  isChunked: false,
  raw: null,
  badAuthorization: 0,
  site: 'own',
  from: [7, actor % 256],
  actor,
  staff: actor,
  ...(json === undefined ? {} : { contentType: 'application/json', body: JSON.stringify(json) }),
  ...(form === undefined ? {} : { contentType: 'application/x-www-form-urlencoded', body: form }),
})
