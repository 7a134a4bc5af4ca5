/** A configuration to describe the API by, where none runs. */
export const describedAs = {
  publicUrl: 'https://api.payments.example',
  maxAmount: 1_000_000_000,
  webhookHeaderBrand: 'Service',
  webhookTimeoutMs: 30_000,
}
