import { createServer } from 'node:http'
import { openClient } from '../../cli/open-client.ts'
import { listen } from '../support/listen.ts'

const success = { success: true, data: {} }
const failure = { success: false, error: { code: 'RATE_LIMITED', message: '' } }

describe("The command line's API client", () => {
  it('says when it is waiting for a busy or failing service', async () => {
    const statuses = [429, 503, 200]
    const server = createServer((_req, res) => {
      const status = statuses.shift() ?? 200
      res.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' })
      res.end(JSON.stringify(status === 200 ? success : failure))
    })
    const { origin: url, close } = await listen(server)
    try {
      const said: string[] = []
      const { signal } = new AbortController()
      const payments = openClient({ url, key: 'sk_test_1', warn: (text) => void said.push(text), signal })
      await payments.getBalance()
      await payments.getBalance()
      expect(said).to.deep.equal([
        'This business has sent too many requests. Retrying in 0 s.',
        'The service responded with status 503. Retrying.',
        'The connection works again.',
      ])
    } finally {
      await close()
    }
  })
})
