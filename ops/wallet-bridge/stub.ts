// A wallet API to try the bridge with. Its names and fields are invented. It keeps everything in memory.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export interface Account {
  passcode: string
  balance: number
  /** The operation fails with this code. */
  fails?: string
  /** Milliseconds of `waiting` before the outcome. */
  waits?: number
  /** Milliseconds before the operation is known and carried out. */
  delays?: number
}

type Operation = { id: string; state: 'done' | 'failed' | 'waiting'; code?: string }
type Payment = { id: string; phone: string; passcode: string; amount: number }

export function createWalletStub(accounts: Map<string, Account>, tokenSeconds = 3_600) {
  const operations = new Map<string, Operation>()
  const tokens = new Map<string, number>()
  const arrived: Pick<Payment, 'id' | 'phone'>[] = []
  const moved: { id: string; phone: string; amount: number }[] = []
  let losesResponses = false

  function outcomeOf({ id, phone, passcode, amount }: Payment): Operation {
    const account = accounts.get(phone)
    const code =
      account === undefined
        ? 'NO_SUCH_ACCOUNT'
        : account.passcode !== passcode
          ? 'BAD_PASSCODE'
          : (account.fails ?? (account.balance < amount ? 'LOW_BALANCE' : undefined))
    if (account === undefined || code !== undefined)
      return { id, state: 'failed', code: code ?? 'SYSTEM_ERROR' }
    account.balance -= amount
    moved.push({ id, phone, amount })
    return { id, state: 'done' }
  }

  async function pay(payment: Payment): Promise<[number, object]> {
    const { id, phone } = payment
    arrived.push({ id, phone })
    const account = accounts.get(phone)
    if (account?.delays) await pause(account.delays)
    const known = operations.get(id)
    if (known !== undefined) return [409, { code: 'DUPLICATE' }]
    if (!account?.waits) operations.set(id, outcomeOf(payment))
    else {
      operations.set(id, { id, state: 'waiting' })
      setTimeout(() => operations.set(id, outcomeOf(payment)), account.waits).unref()
    }
    return [200, operations.get(id) as Operation]
  }

  async function respondTo(
    { method, url = '', headers }: IncomingMessage,
    body: string,
  ): Promise<[number, object]> {
    if (method === 'POST' && url === '/session') {
      const token = crypto.randomUUID()
      tokens.set(token, Date.now() + tokenSeconds * 1000)
      return [200, { token, expiresIn: tokenSeconds }]
    }
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    if ((tokens.get(token) ?? 0) < Date.now()) return [401, { code: 'NO_SESSION' }]
    if (method === 'POST') return pay(JSON.parse(body) as Payment)
    const operation = operations.get(url.split('/').at(-1) ?? '')
    return operation === undefined ? [404, { code: 'NOT_FOUND' }] : [200, operation]
  }

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [status, body] = await respondTo(req, await text(req))
    if (losesResponses && req.method === 'POST' && req.url !== '/session') return void res.destroy()
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }

  return {
    server: createServer((req, res) => void handle(req, res)),
    /** The payments that arrived, and those that took money. */
    arrived,
    moved,
    loseResponses: (loses: boolean): void => void (losesResponses = loses),
    endSessions: (): void => tokens.clear(),
  }
}

/** `node stub.ts PORT`: wallets 22000000 to 22000009 with the PIN 1357. 1 to 6 fail with a code, and 8 waits. */
if (import.meta.main) {
  const codes = ['LOW_BALANCE', 'OVER_LIMIT', 'REFUSED', 'SYSTEM_ERROR', 'ACCOUNT_CLOSED', 'ACCOUNT_BLOCKED']
  const accounts = Array.from({ length: 10 }, (_, index): [string, Account] => {
    const fails = codes[index - 1]
    const waits = index === 8 ? 3_000 : 0
    return [
      String(22_000_000 + index),
      { passcode: '1357', balance: 10 ** 8, waits, ...(fails ? { fails } : {}) },
    ]
  })
  createWalletStub(new Map(accounts)).server.listen(Number(process.argv[2] ?? 3300), '127.0.0.1')
}
