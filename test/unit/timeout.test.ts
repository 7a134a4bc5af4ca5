import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect } from 'chai'
import { withTimeout } from '../../src/process/timeout.ts'

describe('A timeout', () => {
  it('does not count a result as late that arrived while the event loop was blocked', async () => {
    const { port1, port2 } = new MessageChannel()
    const arrival = once(port1, 'message').then(([text]) => text)
    const result = withTimeout(arrival, 10, () => 'late')
    port2.postMessage('on time')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    expect(await result).to.equal('on time')
    port1.close()
  })
})
