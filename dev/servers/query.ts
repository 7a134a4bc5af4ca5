import { connect } from 'node:net'

/** Sends text to a local port, and returns the first bytes of the response. Without text, returns '' once connected. */
export function query(port: number, text?: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1000 })
    const done = (response?: string) => {
      socket.destroy()
      resolve(response)
    }
    socket.on('connect', () => (text === undefined ? done('') : socket.write(text)))
    socket.on('data', (bytes) => done(bytes.toString()))
    for (const event of ['timeout', 'error', 'close']) socket.on(event, () => done())
  })
}
