import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { addHeader, sendPage, sendRedirect } from '../../src/http/pages/send-page.ts'

describe('A staff page that is ready only after the timeout', () => {
  it('is discarded together with its sign-in cookie, without an error', async () => {
    let fault: unknown
    const app = express().get('/', (_req, res) => {
      sendPage(res, 503, 'too late')
      try {
        addHeader(res, 'Set-Cookie', 'staff=token')
        sendRedirect(res, '/admin')
      } catch (error) {
        fault = error
      }
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect([response.status, await response.text()]).to.deep.equal([503, 'too late'])
    expect(response.headers.has('set-cookie')).to.equal(false)
    expect(fault).to.equal(undefined)
    server.close()
  })
})
