import { expect } from 'chai'

/** Awaits a response and expects it to be this error of the catalogue. */
export async function expectRefused<Response extends { status: number; body: { error?: unknown } }>(
  request: PromiseLike<Response>,
  status: number,
  code: string,
): Promise<Response> {
  const response = await request
  expect(response.body.error, JSON.stringify(response.body)).to.include({ code, statusCode: status })
  expect(response.status).to.equal(status)
  return response
}
