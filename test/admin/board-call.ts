import type { Service } from '../support/service.ts'
import type { Visitor } from './staff.ts'

/** What Bull Board's answers may hold, as far as tests look at it. */
interface BoardBody {
  error: string
  message: string
  retried: number
  queues: { name: string; counts: { failed: number }; jobs: { id: string }[] }[]
  job: Record<string, unknown>
}

/** An answer of the board; `body` is empty unless it is JSON. */
export interface BoardGot {
  status: number
  headers: Headers
  text: string
  body: BoardBody
}

/** What the board's page does: a call without a form's token, with what a browser says of itself. */
export async function callBoard(
  { origin }: Pick<Service, 'origin'>,
  { cookie }: Pick<Visitor, 'cookie'>,
  method: string,
  path: string,
): Promise<BoardGot> {
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
