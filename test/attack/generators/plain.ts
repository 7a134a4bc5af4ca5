import type { Attack } from './attack.ts'

export type Plain = { target: string; method: string; line: string; json?: object; form?: string }

export const post = (path: string, line: string, json?: object): Plain => ({
  target: `POST ${path}`,
  method: 'POST',
  line: `/api/v1${line}`,
  ...(json === undefined ? {} : { json }),
})

const act = (name: string) => (json?: object) =>
  post(`/dev/intents/:referenceNumber/${name}`, `/dev/intents/~scene.intent~/${name}`, json)
export const simulate = act('simulate-payment')
export const cancel = act('cancel')
export const refund = act('refund')

export const plainAttack = ({ json, form, ...made }: Plain, actor: number): Attack => ({
  ...made,
  headers: [],
  idempotencyKey: '~tag~',
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
