// Tests of the native code without Python: correct results on small cases, and no invalid access for malformed bytes,
// lengths and offsets. Every array is in a heap block of exactly its size, so that sanitizers notice a read of one
// element too many.
#include "census.h"
#include "checks.h"
#include "exact.h"
#include "frequent.h"
#include "groups.h"
#include "lines.h"
#include "loops.h"
#include "near.h"
#include "pages.h"
#include "paths.h"
#include "postings.h"
#include "prints.h"
#include "sets.h"
#include "survivors.h"
#include "texts.h"

int main() {
    test_hashes();
    test_decoding();
    test_normalizing_twice_changes_nothing();
    test_long_runs_of_marks_are_ordered();
    const lookalike_steps::Steps* paths[3];
    const unsigned count = lookalike_steps::paths(paths);
    test_every_path_agrees();
    for (unsigned i = 0; i < count; ++i) {
        lookalike_steps::force(paths[i]->name);
        test_any_text_can_be_cut();
        test_bad_columns_are_refused();
    }
    lookalike_steps::force(nullptr);
    EXPECT(!lookalike_steps::force("abacus"));
    test_sorting_any_keys();
    test_similar_pairs_and_components_agree_with_the_definition();
    test_giant_buckets_agree_for_any_number_of_threads();
    test_bad_tables_are_refused();
    test_unordered_sets_do_no_harm();
    test_copies_and_buckets();
    test_exceptions_leave_threads();
    test_a_team_does_loop_after_loop();
    test_frequent_pairs();
    test_no_document_with_a_partner_is_left_out();
    test_huge_documents_are_counted_in_blocks();
    test_threads_may_count_at_the_same_time();
    test_similar_sets_are_in_one_group();
    test_pieces_of_any_size_give_the_same_bytes();
    test_damaged_blocks_do_no_harm();
    test_lines_of_json_are_found_within_the_block();
    test_weighted_sets();
    test_pages_that_are_kept_give_the_same_hits();
    test_one_query_gives_the_same_hits_as_many();
    test_files_of_postings_that_end_early_are_refused();
    test_survivors_agree_with_the_definition();
    test_losses_of_any_text();
    test_hashing_piece_by_piece();
    test_near_vectors();
    test_nearest_in_lists();
    test_near_bits();
    test_bits_within_a_distance();
    test_votes_for_prints_agree_with_the_definition();
    test_prints_are_moved_onto_their_copies();
    test_odd_prints_do_no_harm();
    for (unsigned i = 0; i < count; ++i) {
        lookalike_steps::force(paths[i]->name);
        test_exact_joins_agree_with_the_definition();
        test_ranks_order_elements_as_codes_do();
        test_whoever_can_have_a_different_partner_is_looked_for();
        test_exact_joins_take_what_is_no_set();
    }
    std::printf("%s\n", failures ? "failed" : "passed");
    return failures != 0;
}
