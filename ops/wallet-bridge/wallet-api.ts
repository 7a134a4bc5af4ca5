/** What the wallet knows of an operation. Replace the names and fields with those of your wallet. */
export interface Operation {
  state: 'done' | 'failed' | 'waiting'
  /** Why it failed. */
  code?: string
}

/**
 * - `absent`: the wallet has said that it doesn't know the operation.
 * - `rejected`: the wallet has refused the request. Only a check tells whether it has the operation.
 * - `lost`: no usable response. The wallet may have the operation, now or later.
 */
export type WalletResult = Operation | { state: 'absent' | 'rejected' | 'lost'; code?: string }

export type WalletAccess = Record<'url' | 'clientId' | 'clientSecret', string>

type Token = { token: string; expiresAt: number }

const timeoutMs = 60_000
/** How long before its end a token is replaced. */
const tokenMarginMs = 30_000
/** These prove that nothing is carried out later. A gateway's 408 or 499 doesn't. */
const refusals: readonly number[] = [400, 401, 403, 422, 429]
const states: readonly unknown[] = ['done', 'failed', 'waiting']

export function openWalletApi({ url, clientId, clientSecret }: WalletAccess) {
  let token: Token | null = null
  let next: Promise<Token> | null = null

  async function request(path: string, body: object | null, bearer: string | null) {
    const headers: Record<string, string> = { 'Content-Type': 'application/json' }
    if (bearer !== null) headers['Authorization'] = `Bearer ${bearer}`
    const response = await fetch(`${url}${path}`, {
      method: body === null ? 'GET' : 'POST',
      headers,
      body: body === null ? null : JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, json: (await response.json()) as Record<string, unknown> }
  }

  async function authenticate(): Promise<Token> {
    const { status, json } = await request('/session', { clientId, clientSecret }, null)
    if (status !== 200 || typeof json['token'] !== 'string') throw new Error(`No token, status ${status}`)
    token = { token: json['token'], expiresAt: Date.now() + Number(json['expiresIn']) * 1000 }
    return token
  }

  async function currentToken(): Promise<string> {
    if (token !== null && token.expiresAt - tokenMarginMs > Date.now()) return token.token
    next ??= authenticate().finally(() => void (next = null))
    return (await next).token
  }

  async function call(path: string, body: object | null, bearer: string): Promise<WalletResult> {
    try {
      const { status, json } = await request(path, body, bearer)
      if (status === 401 && token?.token === bearer) token = null
      const code = typeof json['code'] === 'string' ? { code: json['code'] } : {}
      if (status === 200 && states.includes(json['state']))
        return { state: json['state'] as Operation['state'], ...code }
      if (body === null && status === 404 && code.code === 'NOT_FOUND') return { state: 'absent' }
      return { state: refusals.includes(status) ? 'rejected' : 'lost', ...code }
    } catch {
      return { state: 'lost' }
    }
  }

  return {
    /** Throws if the wallet issues no token, before any payment is sent. */
    currentToken,
    pay: (
      bearer: string,
      operation: { id: string; phone: string; passcode: string; amount: number; note: string },
    ) => call('/operations', operation, bearer),
    async check(id: string): Promise<WalletResult> {
      const bearer = await currentToken().catch(() => null)
      return bearer === null ? { state: 'lost' } : call(`/operations/${id}`, null, bearer)
    },
  }
}
