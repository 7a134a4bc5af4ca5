import type { Socket } from 'node:net'
import { expect } from 'chai'
import { connectTo, crlf } from '../api/raw-request.ts'
import { createIntent } from '../support/actions.ts'
import { copyIntents } from '../support/copy-intents.ts'
import { startProcess } from '../support/processes.ts'
import { type Merchant, withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const intents = '/api/v1/dev/intents'
const page = `${intents}?limit=100`
const mib = 1024 * 1024
/** JSON escapes it as six bytes, so this metadata is as large as possible. */
const long = '\u0001'
const metadata = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [String(n).padEnd(255, long), long.repeat(500)]),
)

describe('A backlog of unread responses', () => {
  const service = withService()
  const merchant = withMerchant(service)
  const neighbour = withMerchant(service)
  before(async () => {
    const { referenceNumber } = await createIntent(service, merchant, { amount: 500, metadata })
    const {
      codeKey: _,
      requestKey: _key,
      ...made
    } = await service.deps.Intent.findOne({ referenceNumber }).orFail().lean()
    await copyIntents(service, made, 99, () => ({}))
    await createIntent(service, neighbour)
  })

  it('keeps `web` below 400 MiB of memory, even with 100 pages of 100 large intents', async () => {
    const web = await startProcess('web', service)
    const { origin } = web
    const memory = async () => {
      const metrics = await (await fetch(`${origin}/metrics`)).text()
      return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1])
    }
    const call = (path: string, by: Merchant) => fetch(origin + path, { headers: by.read() })
    /** Nothing ever reads the response. */
    const request = async (): Promise<Socket> => {
      const socket = (await connectTo(origin)).on('error', () => undefined).pause()
      const key = `Authorization: Bearer ${merchant.key}`
      socket.write(crlf(`GET ${page} HTTP/1.1`, 'Host: a', 'Connection: close', key, '', ''))
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: 100 }, request))
    let most = 0
    let served = 0
    await waitFor(
      'every connection has something to read',
      async () => {
        most = Math.max(most, await memory())
        const lists = await call(page, neighbour)
        expect(lists.status, await lists.text()).to.equal(200)
        served += 1
        return sockets.every(({ bytesRead }) => bytesRead > 0)
      },
      30_000,
    )
    most = Math.max(most, await memory())
    expect(most / mib).to.be.within(50, 400)
    expect(served).to.be.greaterThan(3)
    // Writes and small responses still succeed.
    const created = await fetch(origin + intents, {
      method: 'POST',
      headers: { ...merchant.write(), 'Content-Type': 'application/json' },
      body: JSON.stringify({ amount: 500, metadata }),
    })
    expect(created.status).to.equal(201)
    const { referenceNumber } = ((await created.json()) as { data: { referenceNumber: string } }).data
    expect((await call(`${intents}/${referenceNumber}`, merchant)).status).to.equal(200)
    for (const socket of sockets) socket.destroy()
    await waitFor('the page can be read again', async () => (await call(page, merchant)).status === 200)
    await web.stop()
  })
})
