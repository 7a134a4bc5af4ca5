<?php // catchup.php
require 'payment-intents-mru-1.1.0.php';
require 'inbox.php';

$payments = new PaymentIntentsMru\Payments(key: getenv('KEY'), baseUrl: getenv('BASE'));
$position = is_file('next.txt') ? ['after' => file_get_contents('next.txt')] : [];
$added = 0;
do {
    $feed = $payments->readEventFeed(['limit' => 100] + $position);
    foreach ($feed['items'] as $event) {
        $added += (int) store($event['id'], json_encode($event['body']));
    }
    $position = ['after' => $feed['next']];
    file_put_contents('next.txt', $feed['next']); // only after the events are stored
} while ($feed['hasMore']);
echo "New events: $added\n";
