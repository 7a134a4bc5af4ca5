/** The body of every create in these benchmarks. */
export const order = {
  amount: 150_000,
  label: 'Commande 4711 — 2 articles',
  metadata: { order_id: 'ORD-2026-004711', customer: 'Aïssata Ba' },
}
