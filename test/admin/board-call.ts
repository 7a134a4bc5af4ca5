import type { Service } from '../support/service.ts'
import type { Visitor } from './staff.ts'

/** The fields of Bull Board's responses that tests read. */
interface BoardBody {
  error: string
  message: string
  retried: number
  queues: { name: string; counts: { failed: number }; jobs: { id: string }[] }[]
  job: Record<string, unknown>
}

/** A response of the board. `body` is empty unless it is JSON. */
export interface BoardResponse {
  status: number
  headers: Headers
  text: string
  body: BoardBody
}

/** Sends a request as Bull Board's page does: with the headers of a browser, but without the token of a form. */
export async function callBoard(
  { origin }: Pick<Service, 'origin'>,
  { cookie }: Pick<Visitor, 'cookie'>,
  method: string,
  path: string,
): Promise<BoardResponse> {
  const response = await fetch(`${origin}/admin/queues${path}`, {
    method: method.toUpperCase(),
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
    ...(/^(get|head)$/i.test(method) ? {} : { body: '{}' }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const { status, headers } = response
  return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : {} }
}
