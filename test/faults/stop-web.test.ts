import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { type House, openHouse } from '../support/house.ts'
import { type ServiceProcess, startProcess } from '../support/processes.ts'

describe('SIGTERM of web', () => {
  let house: House
  let web: ServiceProcess
  const sockets: Socket[] = []
  before(async () => {
    house = await openHouse()
    web = await startProcess('web', house)
  })
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await web.stop()
    await house.close()
  })

  async function connectionSaying(text: string): Promise<void> {
    const socket = connect(Number(new URL(web.origin).port), '127.0.0.1')
    socket.on('error', () => undefined)
    sockets.push(socket)
    await new Promise((resolve) => {
      socket.write(text === '' ? Buffer.alloc(0) : text, resolve)
    })
  }

  it('ends it in bounded time, whatever unfinished requests others hold open', async function () {
    this.timeout(30_000)
    const { key } = await house.merchant()
    await connectionSaying('')
    await connectionSaying('GET / HTTP/1.1\r\nHo')
    await connectionSaying(
      `POST /api/v1/dev/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        'X-Idempotency-Key: half\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"amou',
    )
    web.kill('SIGTERM')
    expect(await web.ended).to.equal(0)
  })
})
