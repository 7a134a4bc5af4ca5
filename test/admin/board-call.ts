interface BoardBody {
  error: string
  message: string
  retried: number
  queues: { name: string; counts: { failed: number }; jobs: { id: string }[] }[]
  job: Record<string, unknown>
}

type At = { origin: string }
type By = { cookie: string }

/** Sends the same headers as Bull Board's own page, but no CSRF token. `body` is empty unless the response is JSON. */
export async function callBoard({ origin }: At, { cookie }: By, method: string, path: string) {
  const response = await fetch(`${origin}/admin/queues${path}`, {
    method: method.toUpperCase(),
    headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
    ...(/^(get|head)$/i.test(method) ? {} : { body: '{}' }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const { status, headers } = response
  const body: BoardBody = isJson && text !== '' ? JSON.parse(text) : {}
  return { status, headers, text, body }
}
