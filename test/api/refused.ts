export async function expectRefused<Some extends { status: number; body: { error?: unknown } }>(
  request: PromiseLike<Some>,
  status: number,
  code: string,
  more: { param?: string; details?: object } = {},
): Promise<Some> {
  const response = await request
  const error = JSON.stringify(response.body)
  expect(response.body.error, error).to.deep.include({ code, statusCode: status, ...more })
  expect(response.status).to.equal(status)
  return response
}
