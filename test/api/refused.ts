import { expect } from 'chai'

/** Awaits an answer and expects it to be this refusal of the catalogue. */
export async function expectRefused(
  request: PromiseLike<{ status: number; body: { error?: unknown } }>,
  status: number,
  code: string,
): Promise<void> {
  const answer = await request
  expect(answer.body.error, JSON.stringify(answer.body)).to.include({ code, statusCode: status })
  expect(answer.status).to.equal(status)
}
