// Runs after a line that declares `client`, as an ES module or as CommonJS.
async function shop() {
  const { createPayments, PaymentsError, signWebhook, verifyWebhook, WebhookVerificationError } = client
  const payments = createPayments({ key: process.env.KEY, baseUrl: process.env.BASE })
  const { referenceNumber } = await payments.createIntent({ amount: 50000, label: 'Order 1042' })
  await payments.simulatePayment({ referenceNumber })
  for await (const { payment } of payments.listAll('listIntents', { status: 'PAID' }))
    console.log('Paid:', payment.amountPaid)
  for await (const { id, type, body } of payments.followEvents({ type: 'payment.confirmed' })) {
    console.log('Event:', type)
    const webhook = { body: JSON.stringify(body), secret: 'ab' }
    const headers = await signWebhook(webhook)
    console.log('Verified:', (await verifyWebhook({ ...webhook, headers })).eventId === id)
    const forged = await verifyWebhook({ ...webhook, headers, secret: 'cd' }).catch((error) => error)
    console.log('Forged:', forged instanceof WebhookVerificationError && forged.code)
    break
  }
  const error = await payments.cancelIntent({ referenceNumber }).catch((error) => error)
  console.log('Refused:', error instanceof PaymentsError && error.code)
}

shop()
