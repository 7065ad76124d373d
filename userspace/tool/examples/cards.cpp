// SPDX-License-Identifier: GPL-2.0
/* A deck of cards shuffled by the standard library, and numbers of <random>. */
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <vector>

#include <shakerandom.hpp>

int main()
try {
	std::vector<int> deck(52);
	shakerandom::secure_engine<> secure;

	std::iota(deck.begin(), deck.end(), 0);
	std::shuffle(deck.begin(), deck.end(), secure);
	for (int i = 0; i < 5; i++)
		std::cout << "A23456789TJQK"[deck[i] % 13]
			  << "CDHS"[deck[i] / 13] << ' ';
	std::cout << '\n';

	shakerandom::engine<> seeded(2026), same(2026);
	std::normal_distribution<double> height(175, 7);

	seeded.discard(1000);
	same.discard(1000);
	std::cout << "height " << height(seeded) << " cm\n";
	height.reset();
	height(same);
	if (seeded != same)
		throw std::runtime_error("the same seed went two ways");
} catch (const std::exception &problem) {
	std::cerr << "cards: " << problem.what() << '\n';
	return 1;
}
