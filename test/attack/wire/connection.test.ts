import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '../../support/listen.ts'
import { openConnection, type Result, sendAlone } from './connection.ts'

const good = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const request = Buffer.from('GET / HTTP/1.1\r\n\r\n')

describe('An HTTP client of `npm run attack`', () => {
  let server: Server
  let port: number
  let requests = 0
  let act: (socket: Socket, number: number) => void

  beforeEach(async () => {
    requests = 0
    server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.on('data', () => {
        requests += 1
        act(socket, requests)
      })
    })
    ;({ port } = await listen(server))
  })
  afterEach(() => server.close())

  async function sendInOrder(times: number, isHead: boolean): Promise<Result[]> {
    const line = openConnection(port)
    const result: Result[] = []
    for (let each = 0; each < times; each += 1) {
      result.push(await line.send(request, isHead))
      await pause(20)
    }
    line.close()
    return result
  }

  it('reports a response that is cut off on a kept-alive connection', async () => {
    act = (socket, number) =>
      number === 1 ? socket.write(good) : socket.end('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhalf')
    const [, second] = await sendInOrder(2, false)
    expect(second).to.include({ none: 'closed', isRepeated: false })
    expect(requests).to.equal(2)
  })

  it("doesn't retry a request whose connection closes only after a while", async () => {
    act = (socket, number) => (number === 2 ? setTimeout(() => socket.end(), 400) : socket.write(good))
    const [, second] = await sendInOrder(2, false)
    expect(second).to.include({ none: 'closed', part: 0, isRepeated: false })
  })

  it('counts unexpected bytes after a response', async () => {
    act = (socket) => socket.write(`${good}EXTRA`)
    expect((await sendInOrder(1, false))[0]).to.have.nested.property('response.beyond', 5)
    act = (socket) => socket.write(good)
    expect((await sendInOrder(1, true))[0]).to.have.nested.property('response.beyond', 2)
    requests = 0
    act = (socket, number) => {
      socket.write(good)
      if (number === 1) setTimeout(() => socket.write('LATE'), 5)
    }
    expect((await sendInOrder(2, false))[1]).to.have.nested.property('response.beyond', 4)
  })

  it('returns all responses to a raw request', async () => {
    act = (socket) => socket.end(`${good}${good}rest`)
    expect((await sendAlone(port, request, 2)).responses.map(({ beyond }) => beyond)).to.deep.equal([0, 4])
    act = (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-')
    expect(await sendAlone(port, request, 1)).to.include({ end: 'closed', part: 25 })
  })

  it('treats a response with an invalid length as incomplete', async () => {
    for (const invalid of ['Content-Length: x\r\n\r\nok', 'Transfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n']) {
      act = (socket) => socket.end(`HTTP/1.1 200 OK\r\n${invalid}`)
      expect((await sendInOrder(1, false))[0], invalid).to.include({ none: 'closed' })
    }
  })
})
