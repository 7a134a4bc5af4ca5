import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawResponse = { status: number; headers: Map<string, string>; body: string }

export const crlf = (...lines: string[]): string => lines.join('\r\n')
export const postHead = (path: string, headers: Record<string, string>, ...more: string[]): string =>
  crlf(
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...more,
    '',
    '',
  )

export const sendRaw = async (origin: string, ...parts: (string | Buffer)[]): Promise<RawResponse[]> =>
  responsesOf(await readRaw(origin, ...parts))

export async function readRaw(origin: string, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = await connectTo(origin)
  for (const part of parts) socket.write(part)
  return (await readToEnd(socket)).toString('latin1')
}

export const readResponses = async (socket: Socket): Promise<RawResponse[]> =>
  responsesOf((await readToEnd(socket)).toString('latin1'))

export async function connectTo(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

export async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // After its response, the server resets the connection to refuse the rest of the request.
  socket.on('error', () => socket.destroy())
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks)
}

/** Splits by Content-Length, and leaves out interim responses (1xx). */
export function responsesOf(wire: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = Buffer.from(wire, 'latin1'); rest.length > 0; ) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) throw new Error(`no end of headers in ${rest.toString('latin1')}`)
    const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    const headers = new Map(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    )
    const length = Number(headers.get('content-length') ?? 0)
    const body = rest.subarray(headEnd + 4, headEnd + 4 + length).toString('utf8')
    if (status >= 200) responses.push({ status, headers, body })
    rest = rest.subarray(headEnd + 4 + length)
  }
  return responses
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

export function expectFailure(response: RawResponse | undefined, status: number, code: string): void {
  expect(response?.status).to.equal(status)
  expect(response?.headers.get('content-type')).to.equal('application/json; charset=utf-8')
  expect(response?.headers.get('x-content-type-options')).to.equal('nosniff')
  const requestId = response?.headers.get('x-request-id')
  expect(requestId).to.match(uuid)
  const { success, error } = JSON.parse(response?.body ?? '')
  expect(success).to.equal(false)
  expect(error).to.include({ code, statusCode: status, requestId })
  expect(['code', 'message', 'statusCode', 'requestId', 'param', 'details']).to.include.members(
    Object.keys(error),
  )
  expect(error.message).to.match(/\w/)
}
